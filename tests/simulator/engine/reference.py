"""The ten-answers world once more, as plain loops over plain numbers.

Slow and independent: it shares no code with the engine and follows the rules
one step, one prompt and one draw at a time, in the order of visits.
"""

import math

PROMPTS, ANSWERS, PER_STEP = 40, 10, 8
MASK = 0xFFFFFFFF
ONLINE = ("grpo", "dr_grpo", "rloo", "reinforce", "online_dpo", "raft")


def mix(x):
    x ^= x >> 16
    x = x * 0x7FEB352D & MASK
    x ^= x >> 15
    x = x * 0x846CA68B & MASK
    return x ^ x >> 16


def hash32(seed, stream, counter):
    k1 = mix((mix((seed + 0x9E3779B9) & MASK) + stream * 0x85EBCA6B) & MASK)
    k2 = mix(k1 ^ 0xC2B2AE35)
    return mix(mix((counter + k1) & MASK) ^ k2)


def uniform(seed, stream, counter):
    return (hash32(seed, stream, counter) + 0.5) * 2.0**-32


def normal(seed, stream, prompt, answer):
    return sum(uniform(seed, stream, (prompt * 16 + answer) * 16 + i) for i in range(12)) - 6.0


def make_prompt(seed, event, prompt):
    """Quality, reference logits, standardized length, score and exploit of one prompt."""
    n1, n2, ell, e = ([normal(seed, t, prompt, k) for k in range(ANSWERS)] for t in (1, 2, 3, 4))
    z = [0.3 * a + 0.7 * b for a, b in zip(n1, n2, strict=True)]
    q = [a - max(0.0, b - 0.5) for a, b in zip(n1, ell, strict=True)]
    exploit = None
    if event == "sparse":
        passing = math.floor(10 * uniform(seed, 5, prompt))
        q = [1.0 if k == passing else 0.0 for k in range(ANSWERS)]
        r = list(q)
    else:
        if event == "reward_hack":
            exploit = sorted(range(ANSWERS), key=lambda k: z[k])[2]
            q[exploit] -= 1.0
        r = [a + 0.3 * b for a, b in zip(q, e, strict=True)]
        if event == "length_bias":
            r = [a + 3.0 * b for a, b in zip(r, ell, strict=True)]
        if exploit is not None:
            r[exploit] += 4.0
    return q, z, ell, r, exploit


def log_softmax(z):
    top = max(z)
    log_sum = math.log(sum(math.exp(x - top) for x in z))
    return [x - top - log_sum for x in z]


def draw(p, u):
    total = 0.0
    for k in range(ANSWERS - 1):
        total += p[k]
        if u < total:
            return k
    return ANSWERS - 1


def sigmoid(x):
    return 1.0 / (1.0 + math.exp(-x)) if x > -700 else 0.0


def pair_weight(method, x, beta, eps):
    if method in ("dpo", "online_dpo"):
        return sigmoid(-beta * x)
    if method == "cdpo":
        return sigmoid(-beta * x) - eps
    if method == "rdpo":
        return ((1 - eps) * sigmoid(-beta * x) + eps * sigmoid(beta * x)) / (1 - 2 * eps)
    return 0.5 - beta * x


def pair_push(setup, pairs, z, zref):
    g = [0.0] * ANSWERS
    for winner, loser in pairs:
        x = (z[winner] - zref[winner]) - (z[loser] - zref[loser])
        weight = pair_weight(setup["method"], x, setup["beta"], setup["label_smoothing"])
        g[winner] += weight / len(pairs)
        g[loser] -= weight / len(pairs)
    return g


def online_push(setup, group, s, p, z, zref, state):
    method, size = setup["method"], len(group)
    rewards = [s[a] for a in group]
    mean = sum(rewards) / size
    silent = max(rewards) == min(rewards)
    g = [0.0] * ANSWERS
    if method == "reinforce":
        for a in group:
            g[a] += (s[a] - state["baseline"]) / size
        g = [g[k] - p[k] * (mean - state["baseline"]) for k in range(ANSWERS)]
        state["baseline"] += 0.2 * (mean - state["baseline"])
    elif silent:
        pass
    elif method == "grpo":
        sd = math.sqrt(sum((x - mean) ** 2 for x in rewards) / size)
        for a in group:
            g[a] += (s[a] - mean) / (sd + 1e-6) / size
    elif method == "dr_grpo":
        for a in group:
            g[a] += (s[a] - mean) / size
    elif method == "rloo":
        for a in group:
            others = (sum(rewards) - s[a]) / (size - 1)
            g[a] += (s[a] - others) / size
    elif method == "raft":
        best = [a for a in group if s[a] == max(rewards)]
        g = [best.count(k) / len(best) - p[k] for k in range(ANSWERS)]
    elif method == "online_dpo":
        pairs = []
        for j in range(size):
            for i in range(j):
                a, b = group[i], group[j]
                if s[a] != s[b]:
                    pairs.append((a, b) if s[a] > s[b] else (b, a))
        g = pair_push(setup, pairs, z, zref)
    return g


def kl_gradient(p, log_p, log_ref):
    kl = sum(p[k] * (log_p[k] - log_ref[k]) for k in range(ANSWERS))
    return [p[k] * (log_p[k] - log_ref[k] - kl) for k in range(ANSWERS)]


def offline_data(setup, seed, prompt, s, ref):
    n = setup["samples_per_prompt"]
    draws = [draw(ref, uniform(seed, 8, prompt * 64 + i)) for i in range(n)]
    pairs = []
    for j in range(n):
        for i in range(j):
            a, b = draws[i], draws[j]
            if s[a] == s[b]:
                continue
            winner, loser = (a, b) if s[a] > s[b] else (b, a)
            if uniform(seed, 9, prompt * 4096 + j * (j - 1) // 2 + i) < setup["flip_rate"]:
                winner, loser = loser, winner
            pairs.append((winner, loser))
    return draws, pairs


def run(setup, seed):
    """Metrics after the last step, of a setup with every key filled in."""
    method, beta = setup["method"], setup["beta"]
    online = method in ONLINE
    eta = 0.5 if online else 1.0
    prompts = [make_prompt(seed, setup["event"], p) for p in range(PROMPTS)]
    logits = [list(z) for _, z, _, _, _ in prompts]
    signals = [[r[k] - setup["length_penalty"] * ell[k] for k in range(ANSWERS)] for _, _, ell, r, _ in prompts]
    log_refs = [log_softmax(z) for _, z, _, _, _ in prompts]
    refs = [[math.exp(x) for x in log_ref] for log_ref in log_refs]
    states = [{"baseline": 0.0} for _ in prompts]
    data = None
    if not online:
        data = [offline_data(setup, seed, p, signals[p], refs[p]) for p in range(PROMPTS)]

    for step in range(setup["steps"]):
        epoch, part = divmod(step, PROMPTS // PER_STEP)
        order = sorted(range(PROMPTS), key=lambda p: (hash32(seed, 6, epoch * 64 + p), p))
        for p in order[part * PER_STEP : (part + 1) * PER_STEP]:
            z, zref, s = logits[p], prompts[p][1], signals[p]
            log_p = log_softmax(z)
            probabilities = [math.exp(x) for x in log_p]
            leash = True
            if online:
                group = [
                    draw(probabilities, uniform(seed, 7, (epoch * 64 + p) * 64 + i)) for i in range(setup["group_size"])
                ]
                g = online_push(setup, group, s, probabilities, z, zref, states[p])
                leash = method != "online_dpo"
            else:
                draws, pairs = data[p]
                g = [0.0] * ANSWERS
                if not pairs:
                    continue
                if method == "best_of_n":
                    best = min(k for k in draws if s[k] == max(s[a] for a in draws))
                    g = [(k == best) - probabilities[k] for k in range(ANSWERS)]
                else:
                    g = pair_push(setup, pairs, z, zref)
                    leash = False
            pull = kl_gradient(probabilities, log_p, log_refs[p]) if leash else [0.0] * ANSWERS
            for k in range(ANSWERS):
                z[k] += eta * (g[k] - beta * pull[k])

    return measure(prompts, logits, log_refs)


def measure(prompts, logits, log_refs):
    names = ("win_rate", "quality", "reward_model_score", "kl", "entropy", "response_length")
    total = dict.fromkeys(names, 0.0)
    for (q, _, ell, r, _), z, log_ref in zip(prompts, logits, log_refs, strict=True):
        log_p = log_softmax(z)
        for k in range(ANSWERS):
            p = math.exp(log_p[k])
            for j in range(ANSWERS):
                total["win_rate"] += p * math.exp(log_ref[j]) * ((q[k] > q[j]) + 0.5 * (q[k] == q[j]))
            total["quality"] += p * q[k]
            total["reward_model_score"] += p * r[k]
            total["kl"] += p * (log_p[k] - log_ref[k])
            total["entropy"] -= p * log_p[k]
            total["response_length"] += p * (200 + 60 * ell[k])
    return {name: value / PROMPTS for name, value in total.items()}
