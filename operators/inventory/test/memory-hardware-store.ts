import type { NodeHardware } from '@quartermaster/api/node-hardware';
import { StatusError } from '@quartermaster/kernel';
import type { KubeObject } from '@quartermaster/kube';
import type { HardwareStore } from '../src/discovery/agent/hardware-object.ts';

/** The API server as far as an agent sees it: one kind, apply and read; can be away, and drops fields that its definition does not know. */
export class MemoryHardwareStore {
  readonly objects = new Map<string, NodeHardware>(); // node -> object
  readonly writes: string[] = [];
  isAway = false;
  unknownField: string | undefined;
  unknownStatusField: string | undefined;
  readonly #statuses = new Map<string, NodeHardware['status']>(); // field manager -> its part of the status of the one node

  readonly store: HardwareStore = {
    find: async <T extends KubeObject>(_type: unknown, { name }: { readonly name: string }) => {
      this.#reach();
      return structuredClone(this.objects.get(name)) as T | undefined;
    },
    apply: async <T extends KubeObject>(
      _type: unknown,
      object: T,
      { subresource, fieldManager }: { readonly subresource?: string | undefined; readonly fieldManager: string },
    ) => {
      this.#reach();
      const name = object.metadata?.name ?? '';
      const { spec, status } = object as Partial<NodeHardware>;
      const current = this.objects.get(name);
      if (current?.status === undefined) this.#statuses.clear();
      if (subresource !== undefined) this.#statuses.set(fieldManager, status);
      this.writes.push(`${name}/${subresource ?? 'spec'}`);
      const next = {
        metadata: { name },
        spec: current?.spec,
        status: current?.status,
        ...(subresource === undefined ? { spec } : { status: Object.assign({}, ...this.#statuses.values()) as NodeHardware['status'] }),
      };
      const stored = JSON.parse(JSON.stringify(next)) as NodeHardware & {
        spec: Record<string, unknown>;
        status?: Record<string, unknown>;
      };
      if (this.unknownField !== undefined) delete stored.spec[this.unknownField];
      if (this.unknownStatusField !== undefined) delete stored.status?.[this.unknownStatusField];
      this.objects.set(name, stored);
      return structuredClone(stored) as KubeObject as T;
    },
  };

  #reach(): void {
    if (this.isAway) throw new StatusError('unavailable', 'the API server is away');
  }
}
