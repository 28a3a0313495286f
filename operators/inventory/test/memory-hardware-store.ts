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

  readonly store: HardwareStore = {
    find: async <T extends KubeObject>(_type: unknown, { name }: { readonly name: string }) => {
      this.#reach();
      return structuredClone(this.objects.get(name)) as T | undefined;
    },
    apply: async <T extends KubeObject>(_type: unknown, object: T, { subresource }: { readonly subresource?: string | undefined }) => {
      this.#reach();
      const name = object.metadata?.name ?? '';
      const { spec, status } = object as Partial<NodeHardware>;
      const current = this.objects.get(name);
      this.writes.push(`${name}/${subresource ?? 'spec'}`);
      const next = {
        metadata: { name },
        spec: current?.spec,
        status: current?.status,
        ...(subresource === undefined ? { spec } : { status }),
      };
      const stored = JSON.parse(JSON.stringify(next)) as NodeHardware & { spec: Record<string, unknown> };
      if (this.unknownField !== undefined) delete stored.spec[this.unknownField];
      this.objects.set(name, stored);
      return structuredClone(stored) as KubeObject as T;
    },
  };

  #reach(): void {
    if (this.isAway) throw new StatusError('unavailable', 'the API server is away');
  }
}
