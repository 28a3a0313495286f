import { messageOf, milliValue, parseQuantity, wholeValue } from '@quartermaster/kernel';
import type { ObservedNode } from '../../model/observed.ts';

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
  /** How many pods the kubelet runs; undefined where it does not say. */
  readonly podLimit: number | undefined;
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
      if (value >= 0 && Number.isSafeInteger(value)) return value;
      problems.push(`${resource}: ${text} is ${value < 0 ? 'negative' : 'more than any machine has'}`);
      return 0;
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
  const podLimit = allocatable['pods'] === undefined ? undefined : read(allocatable, 'pods');
  all.delete('pods');
  return { cpu, memory, ephemeralStorage, extended: all, podLimit, problems: [...new Set(problems)] };
}

/** In what the pieces of an extended resource are counted. */
export function unitOf(resource: string): 'bytes' | 'pieces' {
  return resource.startsWith('hugepages-') ? 'bytes' : 'pieces';
}
