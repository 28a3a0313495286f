import { create, type DescMethod, toBinary } from '@bufbuild/protobuf';
import {
  Hosts,
  type HostsCreateRequest,
  HostsCreateRequestSchema,
  type HostsGetRequest,
  HostsGetRequestSchema,
  type HostsListRequest,
  HostsListRequestSchema,
  type HostsUpdateRequest,
  HostsUpdateRequestSchema,
} from '@quartermaster/api/private';
import type { Work } from './protocol.ts';
import { filters, hostCount, hostId, type MeasuredField, sampleHost } from './sample-host.ts';

export type WorkRequest = HostsListRequest | HostsGetRequest | HostsUpdateRequest | HostsCreateRequest;

const methods: Readonly<Record<Work, DescMethod>> = {
  get: Hosts.method.get,
  'get-secret': Hosts.method.get,
  'update-masked': Hosts.method.update,
  'update-rack': Hosts.method.update,
  'update-hot': Hosts.method.update,
  create: Hosts.method.create,
  'list-filtered-1': Hosts.method.list,
  'list-filtered-10': Hosts.method.list,
  'list-filtered-50': Hosts.method.list,
  'list-filtered-50-busy': Hosts.method.list,
};

export function pathOf(work: Work): string {
  return `/${Hosts.typeName}/${methods[work].name}`;
}

const randomHost = (): number => Math.floor(Math.random() * hostCount);

/** Every request is another one. */
export class Requests {
  #made = 0;
  #listed = 0;
  #nextNew: number;

  /** Hosts that are created are machines with the numbers from `firstNew` on, each once: so that none of them is there already. */
  constructor(firstNew = hostCount) {
    this.#nextNew = firstNew;
  }

  next(work: Work): WorkRequest {
    this.#made += 1;
    switch (work) {
      case 'list-filtered-1':
        return this.#list(1);
      case 'list-filtered-10':
        return this.#list(10);
      case 'list-filtered-50':
      case 'list-filtered-50-busy':
        return this.#list(50);
      case 'get':
        return create(HostsGetRequestSchema, { id: this.hostId() });
      case 'get-secret':
        return create(HostsGetRequestSchema, { id: this.hostId(), reveal: true });
      case 'update-masked':
        return this.#update(this.hostId(), 'title');
      case 'update-rack':
        return this.#update(this.hostId(), 'rack');
      case 'update-hot':
        return this.#update(hostId(0), 'title');
      case 'create': {
        const object = sampleHost(this.#nextNew);
        this.#nextNew += 1;
        object.id = '';
        // The source writes it, not who creates a host.
        delete object.status;
        return create(HostsCreateRequestSchema, { object });
      }
    }
  }

  /** Of one that is there. */
  hostId(): string {
    return hostId(randomHost());
  }

  #list(share: 1 | 10 | 50): HostsListRequest {
    const texts = [...filters[share].keys()];
    // Counted apart: with updates in between, the filters must still take turns.
    this.#listed += 1;
    return create(HostsListRequestSchema, { filter: texts[this.#listed % texts.length] ?? '', limit: 10 });
  }

  #update(id: string, field: MeasuredField): HostsUpdateRequest {
    const object = { id, spec: { [field]: `${field}-${process.pid}-${this.#made}` } };
    return create(HostsUpdateRequestSchema, { object, updateMask: { paths: [`spec.${field}`] } });
  }

  bytes(work: Work): Uint8Array {
    return toBinary(methods[work].input, this.next(work));
  }
}
