"""``kubectl why``: why is this pod where it is?"""
