"""Words and their numbers."""


class Vocabulary:
    def __init__(self):
        self.numbers = {}
        self.counts = []

    def encode(self, words):
        encoded = []
        for word in words:
            number = self.numbers.setdefault(word, len(self.numbers))
            if number == len(self.counts):
                self.counts.append(0)
            self.counts[number] += 1
            encoded.append(number)
        return encoded
