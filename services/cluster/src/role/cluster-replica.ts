import { sharedServed } from '@quartermaster/runtime';
import type { RoleHost } from '@quartermaster/runtime/host';
import { isInNeed, needsNewPlan } from '../book/conditions.ts';
import { decideBy } from '../book/decide.ts';
import { missingReplicas } from '../book/missing-replicas.ts';
import { renewedPlan } from '../book/renewed-plan.ts';
import { ReservationBook } from '../book/reservation-book.ts';
import { type ConnectServerOptions, connectServer } from '../knowledge/connect-server.ts';
import { type Knowledge, openKnowledge } from '../knowledge/open-knowledge.ts';
import { pictureLines } from '../knowledge/picture-lines.ts';
import type { PlacingOptions } from '../placement/place.ts';
import { ReservationLeader } from '../reservations/reservation-leader.ts';
import { type ClusterSettings, sharedInventoryToken } from './cluster-role.ts';

/** What a replica knows and decides by. */
export interface ClusterReplica {
  readonly book: ReservationBook;
  readonly placing: PlacingOptions;
  readonly knowledge: Knowledge;
  readonly reservations: ReservationLeader;
}

type Host = RoleHost<ClusterSettings>;

/** The role that has the inventory, where it runs in the same process. */
const inventoryRole = 'operator-inventory';

/** Starts the book of this replica with what feeds it, and says what its leader does. All of it ends with the host. */
export async function startReplica(host: Host): Promise<ClusterReplica> {
  const { config, clock, random, log } = host;
  const caches = await host.caches.opener();
  const levels = { cpu: config['cpu-commit-level'], memory: config['memory-commit-level'], storage: config['storage-commit-level'] };
  const placing = { levels, spread: config['cluster-spread'], maxSteps: config['cluster-placement-steps'] };
  const book = new ReservationBook({
    headroom: headroomOf(config),
    nodePorts: config['cluster-node-port-quantity'],
    storageLevel: levels.storage,
  });
  const reservations = new ReservationLeader({
    client: await host.kubernetes(),
    caches,
    book: {
      setReservation: (reservation) => book.setReservation(reservation),
      removeReservation: (name) => book.removeReservation(name),
      reservation: (name) => book.reservation(name),
      reservations: () => book.reservations(),
      needsNewPlan: () => needsNewPlan(book),
      isInNeed: (name) => isInNeed(book, name),
      missingReplicas: (name) => missingReplicas(book, name),
      renewedPlan: (name) => renewedPlan(book, name),
    },
    decide: decideBy(book, { ...placing, limits: limitsOf(config) }),
    lifetimeMs: config['cluster-pending-lifetime'],
    clock,
    random,
    log,
  });
  host.keep('reservations', () => reservations.stop());
  reservations.lead(host.leadership);
  const knowledge = openKnowledge({
    connect: () => connectServer(inventoryServer(host)),
    connectIpOperator: config['cluster-ip-operator-address'] === undefined ? undefined : () => connectIpOperator(config),
    caches,
    book,
    settings: config,
    storageLevel: levels.storage,
    draw: (picture) => {
      if (log.level !== 'debug') return;
      for (const fields of pictureLines(picture, book)) log.debug('the whole picture', fields);
    },
    clock,
    random,
    log,
  });
  host.run('knowledge', (signal) => knowledge.run(signal));
  return { book, placing, knowledge, reservations };
}

function headroomOf(config: ClusterSettings) {
  return {
    cpuMillis: config['cluster-cpu-headroom'],
    memoryBytes: config['cluster-memory-headroom'],
    ephemeralBytes: config['cluster-ephemeral-storage-headroom'],
    cards: config['cluster-gpu-headroom'],
    persistentBytes: config['cluster-storage-headroom'],
    ports: config['cluster-node-port-headroom'],
    ips: config['cluster-leased-ip-headroom'],
  };
}

function limitsOf(config: ClusterSettings) {
  return {
    most: config['cluster-pending-max'],
    perOwner: config['cluster-pending-per-owner'],
    ownerShare: config['cluster-pending-owner-share'],
    share: config['cluster-pending-share'],
  };
}

/** The one of the settings, or else the operator of this process. */
export function inventoryServer({ config, shared }: Pick<Host, 'config' | 'shared'>): ConnectServerOptions {
  const address = config['cluster-inventory-address'];
  return {
    setting: 'cluster-inventory',
    address: () => address ?? shared.find(sharedServed)?.of(inventoryRole)?.grpc,
    isPlainText: address !== undefined && config['cluster-inventory-plain-text'],
    caFile: config['cluster-inventory-ca-file'],
    tokenFile: config['cluster-inventory-token-file'],
    // It is for the operator of this process, and for nobody whom the settings name.
    token: address === undefined ? shared.find(sharedInventoryToken) : undefined,
  };
}

function connectIpOperator(config: ClusterSettings) {
  return connectServer({
    setting: 'cluster-ip-operator',
    address: () => config['cluster-ip-operator-address'],
    caFile: config['cluster-ip-operator-ca-file'],
    tokenFile: config['cluster-ip-operator-token-file'],
  });
}
