import type { RoleFuse, RoleLeadership } from '@quartermaster/runtime/host';
import type { OperatorStatus } from '../serve/inventory-service.ts';
import type { Inventory } from './inventory.ts';

export interface OperatorStatusSources {
  readonly version: string;
  readonly replica: string;
  readonly startedAt: number;
  readonly inventory: Inventory;
  readonly fuse: Pick<RoleFuse, 'problem'>;
  readonly leadership: Pick<RoleLeadership, 'election'>;
}

/** How the operator is, for people and programs. */
export function operatorStatus({ version, replica, startedAt, inventory, fuse, leadership }: OperatorStatusSources): OperatorStatus {
  const { isLeader, holder, lastError } = leadership.election;
  const completeness = inventory.completeness();
  const gpuProblem = inventory.gpus.problem();
  const configProblem = inventory.config?.status().problem;
  const busProblem = inventory.publisher?.status().problem;
  return {
    version,
    replica,
    isLeader,
    leader: holder ?? '',
    startedAt,
    completeness,
    parts: [
      part('sources', completeness.stale.map(({ source, reason }) => `${source}: ${reason}`).join('; ')),
      part('objects', completeness.leftOut.map(({ source, count }) => `${count} of ${source} could not be read`).join('; ')),
      part('election', lastError ?? ''),
      part('gpu database', gpuProblem ?? ''),
      part('pci.ids', inventory.gpus.pciProblem ?? ''),
      part('agents', inventory.agents.problem() ?? ''),
      part('gpu usage', inventory.usage?.problem() ?? ''),
      part('configuration', configProblem ?? ''),
      part('bus', busProblem ?? ''),
      part('hardware of gone nodes', fuse.problem() ?? ''),
    ],
    counters: new Map([
      ['pods', inventory.ledger.pods],
      ['drifts', inventory.ledger.drifts],
      ['subscribers', inventory.feed.subscribers],
      ['generation', inventory.feed.state()?.generation.sequence ?? 0],
    ]),
  };
}

function part(name: string, message: string): OperatorStatus['parts'][number] {
  return { name, state: message === '' ? 'ok' : 'degraded', message };
}
