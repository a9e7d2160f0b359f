"""Keys and values that are kept: whose they are, how many, and that nothing comes back after `clear`."""

import random
import threading
from collections.abc import Callable

import torch

from rag.models.kept import KeysValues, Shape, common
from rag.models.prefix import PrefixCache, Room

SHAPE = Shape(2, 2, 4, torch.float32, "cpu")


def read(ids: list[int]) -> KeysValues:
    """As if a decoder had read them: the numbers of a token are its id."""
    kept = KeysValues(SHAPE)
    write(kept, ids)
    return kept


def write(kept: KeysValues, ids: list[int]) -> None:
    kept.make_room(len(kept.ids) + len(ids))
    for token in ids:
        kept.rows[:, :, :, len(kept.ids)] = token
        kept.ids.append(token)


def check(kept: KeysValues) -> None:
    for at, token in enumerate(kept.ids):
        assert bool((kept.rows[:, :, :, at] == token).all())


def test_what_is_there_stays_whatever_is_made_cropped_or_grown(seeds: Callable[[int], range]) -> None:
    for seed in seeds(50):
        rng = random.Random(seed)
        kept, ids = read([]), list[int]()
        for _ in range(12):
            if rng.random() < 0.6:
                more = [rng.randrange(1000) for _ in range(rng.choice([0, 1, 5, 300]))]
                write(kept, more)
                ids += more
            elif rng.random() < 0.5:
                n = rng.randint(0, 400)
                kept.crop(n)
                del ids[n:]
            else:
                n = rng.randint(0, 400)
                kept.shrink(n)
                del ids[n:]
                assert kept.rows.numel() == 0 or kept.rows.shape[3] < len(ids) + 512
            assert kept.ids == ids
            check(kept)


def test_alike_from_the_start(seeds: Callable[[int], range]) -> None:
    for seed in seeds(100):
        rng = random.Random(seed)
        a, b = ([rng.randrange(2) for _ in range(rng.randint(0, 9))] for _ in "ab")
        n = common(a, b)
        assert a[:n] == b[:n] and (n == min(len(a), len(b)) or a[n] != b[n])


def test_no_more_than_the_bound_is_kept_and_no_room_for_more() -> None:
    cache = PrefixCache(most=100)
    kept, age = cache.take()
    assert kept is None and cache.tokens == 0
    cache.put(read(list(range(1000))), age)
    assert cache.tokens == 100
    kept, _ = cache.take()
    assert kept is not None and kept.ids == list(range(100)) and kept.rows.shape[3] < 500
    check(kept)


def test_who_takes_it_has_it_alone() -> None:
    cache = PrefixCache()
    cache.put(read([1, 2]), cache.take()[1])
    first, age = cache.take()
    second, _ = cache.take()
    assert first is not None and second is None
    cache.put(first, age)
    assert cache.tokens == 2


def test_nothing_comes_back_after_clear() -> None:
    cache = PrefixCache()
    cache.put(read([1, 2]), cache.take()[1])
    taken, age = cache.take()
    assert taken is not None
    cache.clear()  # a document was removed while somebody generates
    cache.put(taken, age)
    assert cache.tokens == 0 and cache.take()[0] is None
    cache.put(read([3]), cache.take()[1])
    assert cache.tokens == 1
    cache.clear()
    assert cache.tokens == 0


def test_many_threads_never_hold_the_same(seeds: Callable[[int], range]) -> None:
    cache, held, lock, twice = PrefixCache(), set[int](), threading.Lock(), list[int]()
    cache.put(read([1, 2, 3]), cache.take()[1])

    def work() -> None:
        for _ in range(300):
            kept, age = cache.take()
            if kept is None:
                continue
            with lock:
                twice.extend({id(kept)} & held)
                held.add(id(kept))
            with lock:
                held.discard(id(kept))
            cache.put(kept, age)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert twice == [] and cache.tokens == 3


def test_of_all_together_those_filled_longest_ago_make_room() -> None:
    one = read([0] * 256).bytes
    room = Room(3 * one)
    caches = [PrefixCache(room) for _ in range(3)]
    for cache in caches:
        cache.put(read([1] * 256), cache.take()[1])
    assert [cache.tokens for cache in caches] == [256] * 3
    caches[0].put(*caches[0].take())  # used again
    late = PrefixCache(room)
    late.put(read([2] * 256), late.take()[1])
    assert [cache.tokens for cache in caches] == [256, 0, 256] and late.tokens == 256
    big = PrefixCache(room)
    big.put(read([3] * 1000), big.take()[1])
    assert big.tokens == 0 and late.tokens == 0  # it does not fit at all, and everybody's place was needed to see


def test_a_cache_that_is_gone_takes_no_room() -> None:
    one = read([0] * 256).bytes
    room, other = Room(2 * one), None
    first = PrefixCache(room)
    first.put(read([1] * 256), first.take()[1])
    for _ in range(5):
        other = PrefixCache(room)
        other.put(read([2] * 256), other.take()[1])
    assert first.tokens == 256 and other is not None and other.tokens == 256


def test_begun_with_what_another_holds_each_goes_its_own_way() -> None:
    rules = read([1, 2, 3, 4])
    kept = read([9] * 300)
    kept.begin_with(rules, 3)
    write(kept, [7, 8])
    assert kept.ids == [1, 2, 3, 7, 8] and rules.ids == [1, 2, 3, 4]
    check(kept)
    check(rules)
