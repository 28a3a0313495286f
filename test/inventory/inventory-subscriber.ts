import type { Generation, Node, WatchInventoryResponse } from '@quartermaster/api/inventory';
import type { RunningOperator } from './running-operator.ts';

/** Keeps what it was told of nodes, from whichever replica it can reach. */
export class InventorySubscriber {
  readonly nodes = new Map<string, Node>();
  /** Of everything that came after a reconnection, what came first. */
  readonly firstEvents: string[] = [];
  generation: Generation | undefined;
  /** Deltas that did not begin where the one before ended. */
  gaps = 0;
  #ending = new AbortController();

  /** Until the replica ends or another one is followed. */
  async follow({ grpc }: Pick<RunningOperator, 'grpc'>): Promise<void> {
    this.#ending.abort();
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    const request = this.generation === undefined ? {} : { resumeFrom: this.generation };
    let isFirst = true;
    try {
      for await (const { event } of grpc.watchInventory(request, { signal })) {
        if (isFirst) this.firstEvents.push(event.case ?? '');
        isFirst = false;
        this.#take(event);
      }
    } catch {
      // The replica went away or the test ended: what was heard so far stays.
    }
  }

  stop(): void {
    this.#ending.abort();
  }

  #take(event: WatchInventoryResponse['event']): void {
    if (event.case === 'snapshot') {
      this.nodes.clear();
      for (const node of event.value.nodes) this.nodes.set(node.name, node);
      this.generation = event.value.generation;
    } else if (event.case === 'delta') {
      const { from } = event.value;
      if (from?.epoch !== this.generation?.epoch || from?.sequence !== this.generation?.sequence) this.gaps += 1;
      for (const node of event.value.nodes) this.nodes.set(node.name, node);
      for (const name of event.value.removedNodes) this.nodes.delete(name);
      this.generation = event.value.to;
    }
  }
}
