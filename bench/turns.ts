/** `--rounds N` of the arguments, or as many as the benchmark takes by itself. */
export function roundsOf(args: readonly string[], otherwise: number): number {
  const at = args.indexOf('--rounds');
  if (at < 0) return otherwise;
  const rounds = Number(args[at + 1]);
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new Error(`--rounds is ${args[at + 1] ?? 'missing'}; it must be a whole number above zero`);
  return rounds;
}

/** Every side once a round, the first first in one round and last in the next: whatever else the machine does, and the place in a round, meets all alike. */
export async function takeTurns<Side extends string, T>(
  rounds: number,
  sides: Readonly<Record<Side, (round: number) => Promise<T>>>,
): Promise<Record<Side, T[]>> {
  const names = Object.keys(sides) as Side[];
  const results = Object.fromEntries(names.map((name) => [name, [] as T[]])) as Record<Side, T[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) results[name].push(await sides[name](round));
  }
  return results;
}
