import type { NodeResources } from './amounts/node-resources.ts';
import type { Card, CardPool } from './cards/gpu-cards.ts';
import { allCardResources } from './cards/gpu-cards.ts';
import { Damper } from './damper.ts';

/** A card that comes back within this time after it vanished has flapped. */
const rememberGoneMs = 60_000;

interface Followed {
  readonly damper: Damper;
  quarantinedAt: number | undefined;
  goneAt: number | undefined;
}

/** The health of a node's cards over time, and how many of them its kubelet offers, both held still while they flap. */
export class NodeHealth {
  readonly #cards = new Map<string, Followed>(); // card id -> its health
  readonly #offers = new Map<string, Damper>(); // resource name -> how many are allocatable

  isFit(card: Card): boolean {
    return (this.#cards.get(card.id)?.damper.level ?? 1) === 1;
  }

  /** Since when a card is in quarantine. */
  quarantinedAt(card: Card): number | undefined {
    return this.#cards.get(card.id)?.quarantinedAt;
  }

  offered(resource: string): number {
    return this.#offers.get(resource)?.level ?? 0;
  }

  /** When something will change by itself, or undefined. */
  dueAt(): number | undefined {
    let due: number | undefined;
    for (const damper of this.#dampers()) {
      const each = damper.dueAt;
      if (each !== undefined && (due === undefined || each < due)) due = each;
    }
    return due;
  }

  observeCards(pools: readonly CardPool[], now: number): void {
    const present = new Set<string>();
    for (const { cards } of pools) {
      for (const card of cards) {
        present.add(card.id);
        this.#observeCard(card.id, card.health === 'unhealthy' ? 0 : 1, now);
      }
    }
    for (const [id, followed] of this.#cards) {
      if (present.has(id)) continue;
      followed.goneAt ??= now;
      followed.damper.set(0, now);
      if (now - followed.goneAt >= rememberGoneMs) this.#cards.delete(id);
    }
  }

  /** Where all cards are held back, it is as if the kubelet offered none: of some nodes, nobody tells more of cards than how many there are. */
  observeOffers(resources: NodeResources, isHeld: boolean, now: number): void {
    for (const resource of allCardResources) {
      const allocatable = isHeld ? 0 : (resources.extended.get(resource)?.allocatable ?? 0);
      const known = this.#offers.get(resource);
      if (known !== undefined) known.set(allocatable, now);
      else if (allocatable > 0) this.#offers.set(resource, new Damper(allocatable, now));
    }
  }

  /** Lets recoveries take effect that are due. Tells whether there was one. */
  settle(now: number): boolean {
    let changed = false;
    for (const followed of this.#cards.values()) {
      if (!followed.damper.settle(now)) continue;
      followed.quarantinedAt = undefined;
      changed = true;
    }
    for (const damper of this.#offers.values()) changed = damper.settle(now) || changed;
    return changed;
  }

  #observeCard(id: string, level: number, now: number): void {
    let followed = this.#cards.get(id);
    if (followed === undefined) {
      followed = { damper: new Damper(level, now), quarantinedAt: undefined, goneAt: undefined };
      this.#cards.set(id, followed);
    }
    followed.goneAt = undefined;
    followed.damper.set(level, now);
    if (followed.damper.level === 1) followed.quarantinedAt = undefined;
    else followed.quarantinedAt ??= now;
  }

  *#dampers(): Generator<Damper> {
    for (const { damper } of this.#cards.values()) yield damper;
    yield* this.#offers.values();
  }
}
