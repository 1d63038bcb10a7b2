# Properties and methods that ask how full it is. How to read this: ../shapes.rs.

#: bounded property_not
class Pool:
    @property
    def has_room(self):
        return len(self.items) < self.most
    def put(self, v):
        if self.has_room:
            self.items.append(v)

#: bounded predicate_arg
def too_many(rows, most=MOST):
    return len(rows) > most
class Log:
    def put(self, v):
        self.items.append(v)
        while too_many(self.items):
            self.items.pop(0)

#: bounded len_method
class Replay:
    def __len__(self):
        return len(self.items)
    @property
    def is_full(self):
        return len(self) >= self.most
    def put(self, v):
        if self.is_full:
            self.items.pop(0)
        self.items.append(v)

#: unbounded property_of_other
class Log:
    @property
    def full(self):
        return len(self.others) > 300
    def put(self, v):
        self.items.append(v)
        if self.full:
            self.items.pop(0)

#: unbounded property_unused
class Log:
    @property
    def full(self):
        return len(self.items) > 300
    def put(self, v):
        self.items.append(v)

#: unbounded method_not_called
class Log:
    def full(self):
        return len(self.items) > 300
    def put(self, v):
        self.items.append(v)
        if self.full:
            print("full")

#: unbounded none_default
class Log:
    def __init__(self, most=None):
        self.most = most
    def put(self, v):
        self.items.append(v)
        if self.most and len(self.items) > self.most:
            self.items.pop(0)
log = Log()

#: unbounded inf
class Log:
    def __init__(self, most=float("inf")):
        self.most = most
    def put(self, v):
        self.items.append(v)
        if len(self.items) > self.most:
            self.items.pop(0)
log = Log()

#: unbounded tests_type
class Log:
    def put(self, v):
        self.items.append(v)
        if isinstance(self.items, list) and not self.items:
            self.items.pop(0)

#: bounded dataclass
@dataclass
class Cache:
    most: int = 50
    items: list = field(default_factory=list)
    def put(self, v):
        self.items.append(v)
        if len(self.items) > self.most:
            self.items.pop(0)

#: unbounded length_before_the_loop
def gather(items):
    n = len(items)
    for k in range(44):
        items.append(k)
        if n > 200:
            items.pop(0)

#: bounded length_in_the_loop
def gather(items):
    for k in range(44):
        items.append(k)
        n = len(items)
        if n > 200:
            items.pop(0)

#: unbounded never_both
DEBUG = False
def put(items, v):
    items.append(v)
    if DEBUG and len(items) > 200:
        items.pop(0)
