import type { JsonObject } from '@bufbuild/protobuf';
import { ReservationService } from '@quartermaster/api/cluster';
import { IpPoolService } from '@quartermaster/api/ip';
import { StatusError } from '@quartermaster/kernel';
import { type RestServer, serve, startRestServer } from '@quartermaster/rpc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const order = { owner: 'akash1x', dseq: 18_446_744_073_709_551_615n, gseq: 1, oseq: 2 };

describe('the contracts of reservations as REST', () => {
  let server: RestServer;

  beforeAll(async () => {
    const reservations = serve(ReservationService, {
      reserve: (request) => {
        if (request.order?.dseq !== order.dseq) throw new StatusError('invalid_argument', 'another order');
        return { outcome: { case: 'reservation', value: { order: request.order, request: request.request } } };
      },
      unreserve: (request) => ({ reservation: { order: request.order, uid: request.uid } }),
      getReservation: (request) => ({ reservation: { order: request.order } }),
      listReservations: ({ owner, phase, node }) => ({ reservations: [{ owner, phase, plan: { units: [{ replicas: [{ node }] }] } }] }),
      getStatus: () => ({ availability: { ports: { allocatable: 2768n, available: 2768n } } }),
      checkFit: ({ owner }) => ({ outcome: { case: 'refusal', value: { summary: owner } } }),
      explainFit: () => ({ outcome: { case: 'plan', value: {} }, nodeGroups: [{ count: 5000n, nodes: ['n1'] }] }),
    });
    const pool = serve(IpPoolService, { getPool: () => ({ pool: { total: 10n, inUse: 4n, reserved: 3n, free: 3n } }) });
    server = await startRestServer({ services: [reservations, pool] });
  });

  afterAll(() => server.stop(0));

  async function ask(method: string, path: string, body?: JsonObject): Promise<unknown> {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${server.url}${path}`, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
    expect([path, answer.status]).toEqual([path, 200]);
    return await answer.json();
  }

  const orderJson = { owner: 'akash1x', dseq: '18446744073709551615', gseq: 1, oseq: 2 };
  const ofOrder = '/v1/reservations/akash1x/18446744073709551615/1/2';

  it('name a reservation by its order', async () => {
    expect(await ask('GET', ofOrder)).toMatchObject({ reservation: { order: orderJson } });
    expect(await ask('DELETE', `${ofOrder}?uid=u`)).toMatchObject({ reservation: { order: orderJson, uid: 'u' } });
  });

  it('take a request as it stands in a file', async () => {
    const request = {
      units: [
        {
          id: 1,
          count: 2,
          cpuMillis: '500',
          memoryBytes: '1073741824',
          gpus: { count: 1, wants: [{ vendor: 'nvidia', model: '*' }] },
          volumes: [{ name: 'data', bytes: '1073741824', kind: 'VOLUME_KIND_PERSISTENT', storageClass: 'beta3' }],
          randomPorts: 1,
          leasedIps: ['front'],
        },
      ],
    };
    expect(await ask('POST', '/v1/reservations', { order: orderJson, request })).toMatchObject({
      reservation: { order: orderJson, request },
    });
    expect(await ask('POST', '/v1/fit:check', { request, owner: 'akash1x' })).toMatchObject({ refusal: { summary: 'akash1x' } });
    expect(await ask('POST', '/v1/fit:explain', { request })).toMatchObject({ plan: {}, nodeGroups: [{ count: '5000', nodes: ['n1'] }] });
  });

  it('answer lists, the status and the pool of addresses', async () => {
    expect(await ask('GET', '/v1/reservations?owner=akash1x&phase=RESERVATION_PHASE_PENDING&node=n1')).toMatchObject({
      reservations: [{ owner: 'akash1x', phase: 'RESERVATION_PHASE_PENDING', plan: { units: [{ replicas: [{ node: 'n1' }] }] } }],
    });
    expect(await ask('GET', '/v1/status')).toMatchObject({ availability: { ports: { allocatable: '2768', available: '2768' } } });
    expect(await ask('GET', '/v1/pool')).toMatchObject({ pool: { total: '10', inUse: '4', reserved: '3', free: '3' } });
  });
});
