package main

import "os"

func main() {
	printMessages(1)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
	_ = os.Args
}
