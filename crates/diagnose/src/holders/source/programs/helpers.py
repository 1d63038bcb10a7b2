# Functions that the container, or the object that has it, is handed to. How to read this: ../shapes.rs.

#: bounded object_helper kind=dict
def evict(cache):
    while len(cache.items) > cache.most:
        cache.items.popitem()
class Cache:
    def put(self, k, v):
        self.items[k] = v
        evict(self)

#: bounded static_helper
class Cache:
    @staticmethod
    def trim(rows, most):
        del rows[:-most]
    def put(self, v):
        self.items.append(v)
        self.trim(self.items, 50)

#: bounded class_helper
class Cache:
    @staticmethod
    def trim(rows, most):
        del rows[:-most]
    def put(self, v):
        self.items.append(v)
        Cache.trim(self.items, most=50)

#: bounded helper_returns
def shortened(rows, most):
    return rows[-most:]
class Log:
    def put(self, v):
        self.items.append(v)
        self.items = shortened(self.items, 50)

#: bounded abstract_evict owner=Fifo
class Base:
    def put(self, v):
        self.items.append(v)
        if len(self.items) > self.most:
            self._evict()
    def _evict(self):
        raise NotImplementedError
class Fifo(Base):
    def _evict(self):
        self.items.pop(0)

#: bounded janitor kind=dict
class Cache:
    def __init__(self):
        Thread(target=self._janitor).start()
    def put(self, k, v):
        self.items[k] = v
    def _janitor(self):
        while True:
            while len(self.items) > self.most:
                self.items.pop(next(iter(self.items)))

#: bounded flush_method
class Writer:
    def put(self, v):
        self.items.append(v)
        if len(self.items) >= self.every:
            self.flush()
    def flush(self):
        write(self.items)
        self.items = []

#: bounded closure kind=dict
def memo(fn):
    items = {}
    def inner(k):
        if k not in items:
            if len(items) >= MOST:
                items.clear()
            items[k] = fn(k)
        return items[k]
    return inner

#: unbounded helper_rebinds
def trim(d, most):
    if len(d) > most:
        d = d[-most:]
class Log:
    def put(self, v):
        self.items.append(v)
        trim(self.items, 10)

#: unbounded helper_result_unused
def trim(d, most):
    return d[-most:]
class Log:
    def put(self, v):
        self.items.append(v)
        trim(self.items, 10)

#: unbounded helper_gets_list
def trim(d, most):
    while len(d) > most:
        d.pop(0)
class Log:
    def put(self, v):
        self.items.append(v)
        trim(list(self.items), 10)

#: unbounded helper_gets_slice
def trim(d, most):
    while len(d) > most:
        d.pop(0)
class Log:
    def put(self, v):
        self.items.append(v)
        trim(self.items[:], 10)

#: unbounded helper_gets_copy
def trim(d, most):
    while len(d) > most:
        d.pop(0)
class Log:
    def put(self, v):
        self.items.append(v)
        trim(self.items.copy(), 10)

#: unbounded helper_gets_sorted
def trim(d, most):
    while len(d) > most:
        d.pop(0)
class Log:
    def put(self, v):
        self.items.append(v)
        trim(sorted(self.items), 10)

#: unbounded helper_gets_another
def trim(d, most):
    while len(d) > most:
        d.pop(0)
class Log:
    def put(self, v):
        self.items.append(v)
        trim(self.others, 10)

#: unbounded helper_behind_a_constant
def trim(d, most):
    while len(d) > most:
        d.pop(0)
class Log:
    def put(self, v):
        self.items.append(v)
        if DEBUG:
            trim(self.items, 10)
DEBUG = False

#: unbounded overridden owner=Endless
class Base:
    def full(self):
        return len(self.items) > 300
    def put(self, v):
        self.items.append(v)
        if self.full():
            self.items.pop(0)
class Endless(Base):
    def full(self):
        return False

#: unbounded many_calls
class Log:
    def note(self, v):
        self.items.append(v)
def f(log, v):
    if len(log.items) < 100:
        log.note(v)
        log.note(v)
        log.note(v)
        log.note(v)
        log.note(v)
        log.note(v)
        log.note(v)
        log.note(v)
    log.note(v)
log = Log()
f(log, 1)

#: unbounded never_called_helper
class Log:
    def put(self, v):
        self.items.append(v)
    def _shrink(self):
        if len(self.items) > MOST:
            self.items.pop(0)
            self._shrink()

#: unbounded clears_arg
class Log:
    def put(self, v, items):
        self.items.append(v)
        if len(items) > MOST:
            items.clear()

#: unbounded helper_of_what_nobody_calls
def trim(d):
    if len(d) > 10:
        d.pop(0)
class Log:
    def put(self, v):
        self.items.append(v)
    def shrink(self):
        trim(self.items)
