import type { ManifestService } from '@quartermaster/api/lease-manifest';
import { StatusError } from '@quartermaster/kernel';
import { wantOf } from '../manifest/cross-validate.ts';
import type { PlannedUnit, PlannedVolume } from '../placement/plan.ts';
import type { GpuWant } from '../placement/request.ts';
import type { CardGroup } from '../placement/stock-facts.ts';
import type { LeaseContent } from './desired.ts';

/** The cards of one pod of a service. */
export interface ServiceCards {
  /** Of a device plugin, or the driver that hands cards out by claims. */
  readonly resource: string;
  readonly isClaimed: boolean;
  readonly count: number;
  /** What the cards of its pods are, or may turn out to be. */
  readonly groups: readonly CardGroup[];
  /** What was ordered, any of which will do. Only what all of it says may be in a template: the next plan may have another of them, and pods that run stay. */
  readonly wants: readonly GpuWant[];
}

export function plannedUnit({ plan }: LeaseContent, { name, resources }: ManifestService): PlannedUnit {
  const unit = plan.units.find(({ id }) => id === resources.id);
  if (unit !== undefined) return unit;
  throw unplanned(name, `has resources ${resources.id}, for which nothing is reserved`);
}

export function plannedVolume(content: LeaseContent, service: ManifestService, volume: string): PlannedVolume {
  const planned = plannedUnit(content, service).volumes.find(({ name }) => name === volume);
  if (planned !== undefined) return planned;
  throw unplanned(service.name, `has the persistent volume ${volume}, for which nothing is reserved`);
}

/** Undefined where it has none. Pods of a service are alike: where its cards were planned of several resources, there is no template for them. */
export function plannedCards(content: LeaseContent, service: ManifestService): ServiceCards | undefined {
  const count = service.resources.gpus;
  if (count === 0) return undefined;
  const cards = plannedUnit(content, service).replicas.map((replica) => replica.cards);
  const resources = new Set(cards.map((each) => each?.resource ?? ''));
  const [resource = ''] = resources;
  if (resource === '' || resources.size > 1) {
    const found = [...resources].map((each) => each || 'none').toSorted();
    throw unplanned(service.name, `has GPUs that are reserved as ${found.join(' and ') || 'none'}, but its pods must all be alike`);
  }
  const groups = cards.flatMap((each) => each?.groups ?? []);
  return { resource, isClaimed: !resource.includes('/'), count, groups, wants: service.resources.gpuAttributes.map(wantOf) };
}

const unplanned = (service: string, problem: string): StatusError =>
  new StatusError('failed_precondition', `service ${service} ${problem}; the reservation must be planned anew for this manifest`);
