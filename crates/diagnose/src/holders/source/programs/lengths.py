# Its length, asked at once or put into a variable first. How to read this: ../shapes.rs.

#: bounded plus
class Log:
    def put(self, batch):
        if len(self.items) + len(batch) > MOST:
            self.items.clear()
        self.items.extend(batch)

#: bounded whole_slice
class Log:
    def put(self, v):
        self.items.append(v)
        self.items[:] = self.items[-MOST:]

#: bounded over
class Log:
    def put(self, v):
        self.items.append(v)
        over = len(self.items) - self.most
        for _ in range(over):
            self.items.pop(0)
        if over > 0:
            self.items.pop(0)

#: bounded comprehension kind=dict
class Log:
    def put(self, k, v):
        self.items[k] = v
        if len(self.items) > MOST:
            keys = sorted(self.items)
            self.items = {k: self.items[k] for k in keys[-MOST:]}

#: bounded age
class Log:
    def put(self, k, v):
        self.items.append(v)
        if len(self.items) > MOST:
            self.items = [i for i in self.items if i.new]

#: bounded with_lock
class Log:
    def put(self, v):
        with self.lock:
            if len(self.items) >= self.most:
                log("full")
                return
            self.items.append(v)

#: bounded room
class Log:
    def put(self, v):
        self.items.append(v)
        room = MOST - len(self.items)
        if room < 0:
            self.items.pop(0)

#: bounded config_limit
class Cache:
    def put(self, v):
        self.items.append(v)
        while len(self.items) > self.cfg["most"]:
            self.items.pop(0)
    def set(self, v):
        self.cfg["most"] = v

#: bounded len_of_data
class Cache:
    def __init__(self):
        for f in files():
            self.data.append(f)
    def put(self, v):
        if len(self.items) < len(self.data):
            self.items.append(v)

#: bounded heap
class Best:
    def put(self, score, v):
        if len(self.items) < self.k:
            heapq.heappush(self.items, (score, v))
        elif score > self.items[0][0]:
            heapq.heapreplace(self.items, (score, v))

#: unseen flush_modulo
class Writer:
    def put(self, v):
        self.items.append(v)
        if len(self.items) % self.every == 0:
            self.items.clear()

#: bounded return_early
def put(items, v, most=100):
    n = len(items)
    if n >= most:
        return False
    items.append(v)
    return True

#: bounded min_max
class Log:
    def put(self, v):
        self.items.append(v)
        if len(self.items) > max(10, self.most):
            del self.items[0]

#: bounded two_objects
class Agent:
    def step(self, v):
        self.memory.items.append(v)
        if len(self.memory.items) > self.memory.most:
            self.memory.items.pop(0)

#: bounded while_true
class Log:
    def put(self, v):
        self.items.append(v)
        while True:
            if len(self.items) <= self.most:
                break
            self.items.pop(0)

#: bounded else_evict kind=dict
class Log:
    def put(self, k, v):
        if len(self.items) < self.most:
            pass
        else:
            self.items.pop(next(iter(self.items)))
        self.items[k] = v

#: bounded try_lock kind=dict
class Log:
    def put(self, k, v):
        try:
            self.items[k] = v
        finally:
            if len(self.items) > self.most:
                self.items.clear()

#: bounded in_a_coroutine kind=dict
class Log:
    async def put(self, k, v):
        async with self.lock:
            self.items[k] = v
            if len(self.items) > self.most:
                self.items.popitem()

#: bounded islice kind=dict
class Log:
    def put(self, k, v):
        self.items[k] = v
        if len(self.items) > self.most:
            self.items = dict(itertools.islice(self.items.items(), self.most // 2))

#: unbounded other_value
def put(items, v):
    items.append(v)
    n = len(items)
    n = 0
    if n > 300:
        items.pop(0)

#: unbounded inner_break
class Log:
    def put(self, v):
        if len(self.items) > 100:
            for item in self.items:
                if item is None:
                    break
        self.items.append(v)

#: unbounded shrunk_each
class Log:
    def put(self, v):
        self.items.append(v)
        if len(self.items) > 100:
            self.items = [i[:10] for i in self.items]

#: unbounded later
class Log:
    def put(self, v):
        self.items.append(v)
        if len(self.items) > 100:
            self.todo = lambda: self.items.pop(0)

#: unbounded at_start
class Log:
    def __init__(self):
        self.items = load()
        self.items = self.items[-100:]
    def put(self, v):
        self.items.append(v)

#: unbounded text
class Log:
    def put(self, v):
        """if len(self.items) > 100: self.items.pop(0)"""
        self.items.append(v)  # if len(self.items) > 100: self.items.pop(0)

#: unbounded pops_other_on_full
class Log:
    def put(self, v):
        self.items.append(v)
        if len(self.items) > MOST:
            v.pop("x")
            del self.others[0]
            others.clear()

#: unbounded else_append
class Log:
    def put(self, v):
        if len(self.items) < MOST:
            self.items.append(v)
        else:
            self.items.append(small(v))

#: unbounded return_elsewhere
class Log:
    def put(self, v):
        if len(self.items) > MOST:
            def f():
                return 1
            f()
        self.items.append(v)

#: unbounded local_list
class Log:
    def put(self, v):
        items = [1, 2]
        if len(items) > MOST:
            items.pop()
        self.items.append(v)

#: unbounded lower_bound
class Log:
    def put(self, v):
        self.items.append(v)
        if len(self.items) < MOST:
            self.items.pop(0)

#: unbounded room_reversed
class Log:
    def put(self, v):
        self.items.append(v)
        room = MOST - len(self.items)
        if room > 0:
            self.items.pop(0)

#: unbounded popped_and_kept
class Log:
    def put(self, v):
        self.items.append(v)
        n = sum(1 for i in self.items if i)
        if n > MOST:
            self.log.pop(0)
