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
import { freeOfClass, hostCount, hostId, sampleHost } from './sample-host.ts';

export type WorkRequest = HostsListRequest | HostsGetRequest | HostsUpdateRequest | HostsCreateRequest;

const methods: Readonly<Record<Work, DescMethod>> = {
  'list-filtered': Hosts.method.list,
  get: Hosts.method.get,
  'update-masked': Hosts.method.update,
  create: Hosts.method.create,
};

export function pathOf(work: Work): string {
  return `/${Hosts.typeName}/${methods[work].name}`;
}

const randomHost = (): number => Math.floor(Math.random() * hostCount);

/** Every request of one process is another one. */
export class Requests {
  #made = 0;

  next(work: Work): WorkRequest {
    this.#made += 1;
    switch (work) {
      case 'list-filtered':
        return create(HostsListRequestSchema, { filter: freeOfClass, limit: 10 });
      case 'get':
        return create(HostsGetRequestSchema, { id: hostId(randomHost()) });
      case 'update-masked': {
        const object = { id: hostId(randomHost()), spec: { rack: `moved-${process.pid}-${this.#made}` } };
        return create(HostsUpdateRequestSchema, { object, updateMask: { paths: ['spec.rack'] } });
      }
      case 'create': {
        const object = sampleHost(hostCount + randomHost());
        object.id = '';
        if (object.status !== undefined) object.status.cluster = '';
        return create(HostsCreateRequestSchema, { object });
      }
    }
  }

  /** Of one that is there. */
  hostId(): string {
    return hostId(randomHost());
  }

  bytes(work: Work): Uint8Array {
    return toBinary(methods[work].input, this.next(work));
  }
}
