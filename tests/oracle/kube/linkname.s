// Empty: a .s file lets the others declare functions without a body (go:linkname).
