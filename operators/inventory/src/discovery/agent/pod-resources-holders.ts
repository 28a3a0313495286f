import type { DeviceHolder } from '@quartermaster/api/node-hardware';
import { type ListPodResourcesResponse, PodResourcesLister } from '@quartermaster/api/pod-resources';
import { StatusError } from '@quartermaster/kernel';
import { openRpcChannel, type RpcChannel } from '@quartermaster/rpc';
import type { HolderSource } from './discovery-agent.ts';

/** Asks the kubelet over its PodResources socket. Connects when first asked and again whenever needed, so the kubelet may restart. */
export class PodResourcesHolders implements HolderSource {
  readonly #socket: string;
  readonly #channel: RpcChannel;

  constructor(socket: string) {
    this.#socket = socket;
    // The agent asks again by itself, with waits of its own.
    this.#channel = openRpcChannel({ address: `unix://${socket}`, deadlineMs: 5000, tries: 1, maxAnswerBytes: 64 * 2 ** 20 });
  }

  async list(signal: AbortSignal): Promise<readonly DeviceHolder[]> {
    try {
      return holdersOf(await this.#channel.client(PodResourcesLister).list({}, { signal }));
    } catch (error) {
      signal.throwIfAborted();
      throw new StatusError('unavailable', `the kubelet does not answer on ${this.#socket}`, { cause: error });
    }
  }

  close(): void {
    this.#channel.close();
  }
}

/** One line per device, sorted, so that equal answers are equal. */
function holdersOf({ podResources }: Pick<ListPodResourcesResponse, 'podResources'>): DeviceHolder[] {
  return podResources
    .flatMap(({ name: pod, namespace, containers }) =>
      containers.flatMap(({ name: container, devices }) =>
        devices.flatMap(({ resourceName: resource, deviceIds }) =>
          deviceIds.map((deviceId) => ({ resource, deviceId, namespace, pod, container })),
        ),
      ),
    )
    .toSorted((a, b) => compare(sortKey(a), sortKey(b)));
}

const sortKey = ({ resource, deviceId, namespace, pod, container }: DeviceHolder): string =>
  [resource, deviceId, namespace, pod, container].join('\0');

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
