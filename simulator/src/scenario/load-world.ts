import { type Clock, sleep, systemClock } from '@quartermaster/kernel';
import { isFailure, type KubeClient, kinds } from '@quartermaster/kube';
import { inParallel } from '../cluster/client/in-parallel.ts';
import { loadObjects, maxObjectsPerLoad } from '../cluster/client/load-objects.ts';
import { type PodVariation, varied } from './running-pods.ts';
import type { World } from './world.ts';
import type { WorldObject } from './world-object.ts';

const maxConcurrentWrites = 16;
const tries = 100;

/**
 * Creates everything of a world but its nodes through the API. What is there already stays as it is, so that it can be repeated. The
 * simulated server takes the pods that run from the beginning by the thousand; others get them one by one.
 */
export async function loadWorld(client: KubeClient, world: World, signal: AbortSignal, clock: Clock = systemClock): Promise<void> {
  const later: WorldObject[] = [];
  for (const each of world.objects()) {
    // Kinds, namespaces and classes are needed by what follows; the rest can be written side by side.
    if (isFoundation(each)) await create(client, each, signal, clock);
    else later.push(each);
  }
  await inParallel(later, maxConcurrentWrites, (each) => create(client, each, signal, clock));
  for (const pods of world.runningPods()) {
    for (const batch of batches(pods.variations, maxObjectsPerLoad)) {
      if (await loadObjects(client, { model: pods.model, variations: batch }, signal)) continue;
      await inParallel(batch, maxConcurrentWrites, (each) =>
        create(client, { type: kinds.pods, object: varied(pods, each) }, signal, clock),
      );
    }
  }
}

const isFoundation = ({ type }: WorldObject): boolean =>
  ['Namespace', 'CustomResourceDefinition', 'StorageClass'].includes(type.kind) ||
  type.group === 'metallb.io' ||
  type.group === 'ceph.rook.io';

function* batches(variations: Iterable<PodVariation>, size: number): Generator<readonly PodVariation[], void> {
  let batch: PodVariation[] = [];
  for (const variation of variations) {
    batch.push(variation);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function create(client: KubeClient, { type, object }: WorldObject, signal: AbortSignal, clock: Clock): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      await client.create(type, object, { signal });
      break;
    } catch (error) {
      if (isFailure(error, 'already-exists')) return;
      // A kind is served, and a namespace has its account, a moment after it was created.
      const isEarly = isFailure(error, 'kind-missing') || (isFailure(error, 'forbidden') && type.kind === 'Pod');
      if (!isEarly || tried === tries) throw error;
      await sleep(clock, 100, signal);
    }
  }
  const { status } = object;
  if (status === undefined) return;
  const { namespace, name = '' } = object.metadata ?? {};
  await client.patch(type, { namespace, name }, { kind: 'merge', body: { status } }, { subresource: 'status', signal });
}
