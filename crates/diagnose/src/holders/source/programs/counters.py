# What is counted beside the container: its bytes, its elements, a sum over it. How to read this: ../shapes.rs.

#: bounded bytes_replaced kind=dict
class Cache:
    def put(self, key, value):
        if key in self.items:
            self.used -= self.items[key].nbytes
        self.items[key] = value
        self.used += value.nbytes
        while self.used > self.most:
            _, old = self.items.popitem(last=False)
            self.used -= old.nbytes

#: bounded bytes_evict kind=dict
class Cache:
    def __init__(self):
        self.items, self.used = {}, 0
    def put(self, key, value):
        self._room(value.nbytes)
        self.items[key] = value
        self.used = self.used + value.nbytes
    def _room(self, more):
        while self.items and self.used + more > self.most:
            self._evict()
    def _evict(self):
        key = next(iter(self.items))
        self.used -= self.items.pop(key).nbytes

#: bounded recount kind=dict
class Cache:
    def put(self, k, v):
        self.items[k] = v
        self.used += v.nbytes
        if self.used > self.most:
            for old in sorted(self.items)[:10]:
                del self.items[old]
            self.used = sum(v.nbytes for v in self.items.values())

#: bounded setter_bytes kind=dict
class Cache:
    def __init__(self, most):
        self._bytes = 0
    @property
    def is_over(self):
        return self._bytes > self.most
    def _track(self, v, sign=1):
        self._bytes += sign * v.nbytes
    def put(self, k, v):
        self.items[k] = v
        self._bytes += v.nbytes
        while self.is_over:
            k, v = self.items.popitem()
            self._bytes -= v.nbytes
    def clear(self):
        self.items.clear()
        self._bytes = 0

#: unseen track_call kind=dict
class Cache:
    def _grow(self, n):
        self.used += n
    def put(self, k, v):
        self.items[k] = v
        self._grow(v.nbytes)
        while self.used > self.most:
            k, v = self.items.popitem()
            self.used -= v.nbytes

#: bounded flush_counter
class Writer:
    def put(self, v):
        self.items.append(v)
        self.n += 1
        if self.n >= self.every:
            self.flush()
    def flush(self):
        write(self.items)
        self.items.clear()
        self.n = 0

#: bounded counter_local
def main():
    items, n = [], 0
    while True:
        items.append(read())
        n += 1
        if n > 300:
            items.pop(0)

#: bounded global_counter
items = []
n = 0
def put(v):
    global n
    if n < MOST:
        items.append(v)
        n += 1

#: unbounded in_flight
class Jobs:
    def put(self, v):
        self.items.append(v)
        self.size += 1
        if self.size > 300:
            self.items.pop(0)
    def done(self):
        self.size -= 1

#: unbounded counter_of_each_call
class Log:
    def put(self, many):
        n = 0
        for v in many:
            self.items.append(v)
            n += 1
            if n > 300:
                self.items.pop(0)

#: unbounded counter_of_some
class Log:
    def put(self, v):
        self.items.append(v)
        if v.big:
            self.n += 1
        if self.n > 300:
            self.items.pop(0)

#: unbounded counter_of_another
class Log:
    def put(self, v):
        self.items.append(v)
        if self.n > 300:
            self.items.pop(0)
    def more(self):
        self.n += 1

#: unbounded report_every
class Log:
    def put(self, v):
        self.items.append(v)
        self.n += 1
        if self.n > 100:
            print(self.items[-1])
            self.n = 0

#: unbounded stale_attribute
class Log:
    def __init__(self):
        self.items = []
        self.n = len(self.items)
    def put(self, v):
        self.items.append(v)
        if self.n > 300:
            self.items.pop(0)

#: unbounded limit_grows
class Log:
    def put(self, v):
        self.items.append(v)
        self.step += 1
        if len(self.items) > self.step:
            self.items.pop(0)

#: unbounded in_step
class Log:
    def put(self, v):
        self.items.append(v)
        self.others.append(v)
        while len(self.items) > len(self.others):
            self.items.pop(0)

#: unbounded sum_checked
class Log:
    def put(self, v):
        self.items.append(v)
        if sum(i.nbytes for i in self.items) > 1000:
            print("much")

#: bounded reservoir
class Sample:
    def put(self, v):
        self.seen += 1
        if len(self.items) < self.k:
            self.items.append(v)
            return
        j = random.randrange(self.seen)
        if j < self.k:
            self.items[j] = v

#: bounded recounted kind=dict
class Cache:
    def put(self, k, v):
        self.items[k] = v
        self.used += v.nbytes
        while self.used > self.most:
            self.drop()
            self.recount()
    def drop(self):
        self.items.popitem()
    def recount(self):
        self.used = sum(v.nbytes for v in self.items.values())

#: bounded order_of_keys kind=dict
class Seen:
    def put(self, k, v):
        self.items[k] = v
        self.order.append(k)
        if len(self.order) > 300:
            del self.items[self.order.pop(0)]

#: unbounded order_of_others kind=dict
class Seen:
    def put(self, k, v):
        self.items[k] = v
        if len(self.order) > 300:
            del self.items[self.order.pop(0)]
    def other(self, k):
        self.order.append(k)

#: bounded sum_of_bytes kind=dict
class Pages:
    def used(self):
        return sum(page.nbytes for page in self.items.values())
    def put(self, k, page):
        while self.used() + page.nbytes > 64 << 20:
            self.items.pop(next(iter(self.items)))
        self.items[k] = page
