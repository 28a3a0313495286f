import type { ObservedPod } from '../../model/observed.ts';
import { ExactSum } from './exact-sum.ts';

/** What the pods of one node take together, kept by adding and subtracting pods. */
export class NodeSums {
  readonly cpuMillis = new ExactSum();
  readonly memoryBytes = new ExactSum();
  readonly ramBytes = new ExactSum();
  readonly ephemeralStorageBytes = new ExactSum();
  /** resource name -> pieces; holds every resource that was ever asked for here */
  readonly extended = new Map<string, ExactSum>();

  static of(pods: Iterable<ObservedPod>): NodeSums {
    const sums = new NodeSums();
    for (const pod of pods) sums.add(pod);
    return sums;
  }

  add({ requests, ramBytes }: ObservedPod): void {
    this.cpuMillis.add(requests.cpuMillis);
    this.memoryBytes.add(requests.memoryBytes);
    this.ramBytes.add(ramBytes);
    this.ephemeralStorageBytes.add(requests.ephemeralStorageBytes);
    for (const [resource, pieces] of requests.extended) this.#sumOf(resource).add(pieces);
  }

  subtract({ requests, ramBytes }: ObservedPod): void {
    this.cpuMillis.subtract(requests.cpuMillis);
    this.memoryBytes.subtract(requests.memoryBytes);
    this.ramBytes.subtract(ramBytes);
    this.ephemeralStorageBytes.subtract(requests.ephemeralStorageBytes);
    for (const [resource, pieces] of requests.extended) this.#sumOf(resource).subtract(pieces);
  }

  extendedValue(resource: string): number {
    return this.extended.get(resource)?.value() ?? 0;
  }

  /** Resources in which the two differ, with both values. */
  *differences(other: NodeSums): Generator<{ readonly resource: string; readonly here: bigint; readonly there: bigint }> {
    const pairs: [string, ExactSum | undefined, ExactSum | undefined][] = [
      ['cpu', this.cpuMillis, other.cpuMillis],
      ['memory', this.memoryBytes, other.memoryBytes],
      ['ram', this.ramBytes, other.ramBytes],
      ['ephemeral-storage', this.ephemeralStorageBytes, other.ephemeralStorageBytes],
    ];
    for (const resource of new Set([...this.extended.keys(), ...other.extended.keys()])) {
      pairs.push([resource, this.extended.get(resource), other.extended.get(resource)]);
    }
    for (const [resource, mine, theirs] of pairs) {
      const here = mine?.exact() ?? 0n;
      const there = theirs?.exact() ?? 0n;
      if (here !== there) yield { resource, here, there };
    }
  }

  #sumOf(resource: string): ExactSum {
    const known = this.extended.get(resource);
    if (known !== undefined) return known;
    const sum = new ExactSum();
    this.extended.set(resource, sum);
    return sum;
  }
}
