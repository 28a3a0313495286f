import type { InventoryViewsService } from '@quartermaster/api/inventory';
import {
  type AnyPatch,
  type AnyState,
  applyTopicPatch,
  capacityTopic,
  nodesTopic,
  nodeTopic,
  splitAddress,
  type Topic,
  type TopicState,
} from '@quartermaster/api/inventory-views';
import type { ServiceClient } from '@quartermaster/rpc';

const topics = [nodesTopic, nodeTopic, capacityTopic] as const;

/** What a reader of views holds: states with all patches applied since. */
export class FollowedViews {
  readonly #states = new Map<string, AnyState>(); // address -> state
  readonly #watch: ReturnType<ServiceClient<typeof InventoryViewsService>['watchViews']>;
  readonly #running: Promise<void>;

  constructor(client: ServiceClient<typeof InventoryViewsService>, views: readonly string[]) {
    this.#watch = client.watchViews({ views: [...views] });
    this.#running = this.#follow();
  }

  of<Params, Head extends object, Row extends object>(
    _topic: Topic<Params, Head, Row>,
    address: string,
  ): TopicState<Head, Row> | undefined {
    return this.#states.get(address) as TopicState<Head, Row> | undefined;
  }

  async stop(): Promise<void> {
    await this.#watch.return();
    await this.#running;
  }

  async #follow(): Promise<void> {
    for await (const { view, change } of this.#watch) {
      if (change.case === 'state') this.#states.set(view, change.value as unknown as AnyState);
      const before = this.#states.get(view);
      if (change.case === 'patch' && before !== undefined) {
        this.#states.set(view, applyTopicPatch(before, change.value as AnyPatch, keyOf(view)));
      }
    }
  }
}

function keyOf(view: string): (row: object) => string {
  const topic = topics.find(({ name }) => name === splitAddress(view).name);
  if (topic === undefined) throw new Error(`${view} is not followed by any test`);
  return topic.keyOf as (row: object) => string;
}
