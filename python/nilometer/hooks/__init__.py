"""The hooks: marks set when the program's framework does something, without a change to the program.

`frameworks` has a folder for each framework, whose `hooks` say which functions are wrapped. `finder` puts
them in place when their module is imported. What they share stands here; `marks` knows what the current
thread is in the middle of.
"""
