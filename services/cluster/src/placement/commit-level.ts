import { invalidFields } from '@quartermaster/kernel';

/** How many times over a resource is sold, exactly: no order may fit on one replica of the service and not on another because of a rounded decimal. */
export interface CommitLevel {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** By resource. Cards, RAM volumes, ports and addresses have none: they are sold once. */
export interface CommitLevels {
  readonly cpu: CommitLevel;
  readonly memory: CommitLevel;
  readonly storage: CommitLevel;
}

const once: CommitLevel = { numerator: 1n, denominator: 1n };
export const soldOnce: CommitLevels = { cpu: once, memory: once, storage: once };

/** Reads `1`, `1.5`, `2.25`. `field` names the setting in the error. */
export function parseCommitLevel(text: string, field: string): CommitLevel {
  const match = /^(\d{1,6})(?:\.(\d{1,9}))?$/.exec(text.trim());
  const decimals = match?.[2] ?? '';
  const level = { numerator: BigInt((match?.[1] ?? '0') + decimals), denominator: 10n ** BigInt(decimals.length) };
  if (level.numerator >= level.denominator) return level;
  throw invalidFields([
    { field, description: `is "${text}"; it must be a decimal number of at least 1, such as 1.5 (1 sells nothing twice)` },
  ]);
}

/** What a pod requests of its node for an ordered amount: its share, rounded up. */
export function requestFor(amount: number, { numerator, denominator }: CommitLevel): number {
  if (numerator === denominator) return amount;
  return Number((BigInt(amount) * denominator + numerator - 1n) / numerator);
}

/** What volumes may be promised of usable bytes: persistent volumes keep their size, so that the level counts on the other side. */
export function promisable(usableBytes: number, { numerator, denominator }: CommitLevel): number {
  return Number((BigInt(usableBytes) * numerator) / denominator);
}
