import { messageOf, milliValue, parseQuantity, wholeValue } from '@quartermaster/kernel';
import type { ObservedNode } from '../model/observed.ts';

export interface Offered {
  readonly capacity: number;
  readonly allocatable: number;
}

/** What the kubelet says that a node has, as whole numbers. `allocatable` is never above `capacity`. */
export interface NodeResources {
  readonly cpu: Offered;
  readonly memory: Offered;
  readonly ephemeralStorage: Offered;
  /** Everything else that pods can ask for: resource name -> pieces */
  readonly extended: ReadonlyMap<string, Offered>;
  /** Quantities that are none, one line each: they count as zero, which sells nothing. */
  readonly problems: readonly string[];
}

const none: Offered = { capacity: 0, allocatable: 0 };

export function nodeResources({ capacity, allocatable }: Pick<ObservedNode, 'capacity' | 'allocatable'>): NodeResources {
  const problems: string[] = [];
  const read = (amounts: Readonly<Record<string, string>>, resource: string): number => {
    const text = amounts[resource];
    if (text === undefined) return 0;
    try {
      const quantity = parseQuantity(text);
      const value = Number(resource === 'cpu' ? milliValue(quantity) : wholeValue(quantity));
      return Math.min(Math.max(value, 0), Number.MAX_SAFE_INTEGER);
    } catch (thrown) {
      problems.push(`${resource}: ${messageOf(thrown)}`);
      return 0;
    }
  };
  const all = new Map<string, Offered>();
  for (const resource of new Set([...Object.keys(capacity), ...Object.keys(allocatable)])) {
    const there = read(capacity, resource);
    all.set(resource, { capacity: there, allocatable: Math.min(read(allocatable, resource), there) });
  }
  const take = (resource: string): Offered => {
    const offered = all.get(resource) ?? none;
    all.delete(resource);
    return offered;
  };
  const [cpu, memory, ephemeralStorage] = [take('cpu'), take('memory'), take('ephemeral-storage')];
  all.delete('pods');
  return { cpu, memory, ephemeralStorage, extended: all, problems };
}
