const pooledBytes = 1024;

/** Randomness as an injected value, so that a seeded run repeats exactly. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** Fills the array with random bytes and returns it. */
  fill(bytes: Uint8Array): Uint8Array;
}

export const systemRandom: Random = {
  next: () => Math.random(),
  fill: systemFill(),
};

/** Asks the system for many bytes at once and gives each away once: a question costs more than the few bytes of an id. */
function systemFill(): Random['fill'] {
  let pool = new Uint8Array();
  let used = 0;
  return (bytes) => {
    if (bytes.length > pool.length - used) {
      pool = crypto.getRandomValues(new Uint8Array(Math.max(pooledBytes, bytes.length)));
      used = 0;
    }
    bytes.set(pool.subarray(used, used + bytes.length));
    pool.fill(0, used, used + bytes.length);
    used += bytes.length;
    return bytes;
  };
}

/** The same seed gives the same sequence on every machine (mulberry32). Not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    fill: (bytes) => {
      for (let i = 0; i < bytes.length; i += 1) bytes[i] = Math.floor(next() * 256);
      return bytes;
    },
  };
}
