//go:build since_28

package main

const missingNodeIsError = false
