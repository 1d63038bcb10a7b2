# Each list inside a dict. How to read this: ../shapes.rs.

#: bounded values_loop entry=any
class Log:
    def put(self, k, v):
        self.items.setdefault(k, []).append(v)
        for rows in self.items.values():
            if len(rows) > MOST:
                del rows[:-MOST]

#: bounded key_loop entry=any
class Log:
    def put(self, **more):
        for k, v in more.items():
            self.items.setdefault(k, []).append(v)
        for key in self.items:
            self.items[key] = self.items[key][-MOST:]

#: bounded key_known entry=a
class Log:
    def put(self, v):
        self.items["a"].append(v)
        if len(self.items["a"]) > MOST:
            self.items["a"].pop(0)

#: bounded alias_entry entry=any
class Log:
    def put(self, k, v):
        rows = self.items.setdefault(k, [])
        rows.append(v)
        del rows[:-MOST]

#: bounded sum_of_lists entry=any
class Log:
    def put(self, k, v):
        self.items[k].append(v)
        if sum(len(rows) for rows in self.items.values()) > MOST:
            self.items[k].pop(0)

#: unbounded bucket_copy entry=any
class Log:
    def put(self, k, v):
        self.items[k].append(v)
        rows = list(self.items[k])
        if len(rows) > 100:
            rows.pop(0)

#: unbounded bucket_slice entry=any
class Log:
    def put(self, k, v):
        self.items[k].append(v)
        rows = self.items[k][:]
        if len(rows) > 100:
            rows.pop(0)

#: unbounded outer_len entry=any
class Log:
    def put(self, k, v):
        self.items[k].append(v)
        if len(self.items) > 100:
            self.items[k].pop(0)

#: unbounded other_key entry=pictures
class Log:
    def put(self, name, v):
        self.items[name].append(v)
        if len(self.items["loss"]) > 100:
            self.items["loss"].pop(0)

#: unbounded one_key entry=any
class Log:
    def put(self, name, v):
        self.items[name].append(v)
        if len(self.items["loss"]) > 100:
            self.items["loss"].pop(0)

#: unbounded slice_shown entry=any
class Log:
    def put(self, k, v):
        self.items[k].append(v)
        print(self.items[k][-10:])

#: bounded its_key entry=pictures
class Log:
    def put(self, name, v):
        self.items[name].append(v)
        if len(self.items["pictures"]) > 100:
            self.items["pictures"].pop(0)
