import {
  type DeviceHolder,
  type HardwareFacts,
  type HardwareStatus,
  type NodeHardware,
  nodeHardwareType,
} from '@quartermaster/api/node-hardware';
import { jsonEqual } from '@quartermaster/controller';
import { StatusError } from '@quartermaster/kernel';
import { isFailure, type KubeReader, type KubeWriter } from '@quartermaster/kube';

export const fieldManager = 'quartermaster-discovery';
/** Owns one field of the status, so that writing the others leaves it as it is. */
const certificateManager = 'quartermaster-discovery-certificate';
const servingFields = ['certificateFingerprint', 'agentPort'] as const;

/** What the agent needs of the API server. */
export type HardwareStore = Pick<KubeReader, 'find'> & Pick<KubeWriter, 'apply'>;

/**
 * The stored object of one node. Writes only what differs from what the server holds, so that a restarted agent that finds the same machine writes
 * nothing. Not for concurrent use.
 */
export class HardwareObject {
  readonly #store: HardwareStore;
  readonly #node: string;
  /** What the server made of our last write: it drops fields that an older definition does not know, which is no reason to write again. */
  #applied: { readonly facts: HardwareFacts; readonly stored: HardwareFacts } | undefined;

  constructor(store: HardwareStore, node: string) {
    this.#store = store;
    this.#node = node;
  }

  async read(signal: AbortSignal): Promise<NodeHardware | undefined> {
    return await this.#store.find(nodeHardwareType, { name: this.#node }, { signal });
  }

  /** Returns whether anything was written. */
  async writeFacts(facts: HardwareFacts, signal: AbortSignal): Promise<boolean> {
    const current = await this.read(signal);
    if (current !== undefined && this.#isStored(facts, current.spec)) return false;
    const object: NodeHardware = { metadata: { name: this.#node }, spec: facts };
    const stored = await this.#store.apply(nodeHardwareType, object, { fieldManager, force: true, signal });
    this.#applied = { facts, stored: stored.spec };
    return true;
  }

  /** Undefined takes back what was said before. Throws `failed_precondition` while there is no object to say it on. */
  async writeHolders(devices: readonly DeviceHolder[] | undefined, signal: AbortSignal): Promise<boolean> {
    return (await this.#writeStatus({ devices }, fieldManager, signal)) !== undefined;
  }

  /** Throws `failed_precondition` while there is no object to say it on, or when its definition has no such field. */
  async writeServing(status: Pick<HardwareStatus, (typeof servingFields)[number]>, signal: AbortSignal): Promise<boolean> {
    const written = await this.#writeStatus(status, certificateManager, signal);
    const missing = written && servingFields.find((field) => written.status?.[field] !== status[field]);
    if (missing !== undefined) {
      const message = `NodeHardware has no field ${missing} in this cluster: apply its definition of this release`;
      throw new StatusError('failed_precondition', message);
    }
    return written !== undefined;
  }

  /** Returns what is stored now, or undefined when that was so already. */
  async #writeStatus(status: HardwareStatus, manager: string, signal: AbortSignal): Promise<Partial<NodeHardware> | undefined> {
    const current = await this.read(signal);
    if (current === undefined) throw this.#missing();
    if (jsonEqual({ ...current.status, ...status }, current.status ?? {})) return undefined;
    // Only the status is taken from a write to the subresource; a spec is required by the type alone.
    const object = { metadata: { name: this.#node }, status };
    try {
      return await this.#store.apply<Partial<NodeHardware>>(nodeHardwareType, object, {
        fieldManager: manager,
        force: true,
        subresource: 'status',
        signal,
      });
    } catch (error) {
      if (isFailure(error, 'not-found')) throw this.#missing(error);
      throw error;
    }
  }

  #isStored(facts: HardwareFacts, stored: HardwareFacts): boolean {
    if (sameFacts(facts, stored)) return true;
    return this.#applied !== undefined && sameFacts(facts, this.#applied.facts) && sameFacts(stored, this.#applied.stored);
  }

  #missing(cause?: unknown): StatusError {
    return new StatusError('failed_precondition', `NodeHardware ${this.#node} does not exist yet: its facts are written first`, { cause });
  }
}

/** Whether two scans found the same machine, whenever that was. */
function sameFacts(a: HardwareFacts, b: HardwareFacts): boolean {
  return jsonEqual({ ...a, observedAt: '' }, { ...b, observedAt: '' });
}
