import type { NodeDetail } from '@quartermaster/api/inventory-views';
import type { Host } from './host.ts';

/** Whether a host and a node are the same machine: by what is burnt into it, not by what somebody called it. */
export function isSameMachine({ spec }: Host, { machine, nics }: Pick<NodeDetail, 'machine' | 'nics'>): boolean {
  const known: Readonly<Record<string, string | undefined>> = { ...machine };
  const uuid = lower(spec?.system_uuid);
  if (uuid !== '' && uuid === lower(known['systemUuid'])) return true;
  const serial = lower(spec?.serial);
  if (serial !== '' && serial === lower(known['serial'])) return true;
  const macs = new Set([spec?.boot_mac, ...(spec?.nics ?? []).map(({ mac }) => mac)].map(lower).filter((mac) => mac !== ''));
  return nics.some(({ mac }) => macs.has(lower(mac)));
}

const lower = (text: string | undefined): string => (text ?? '').toLowerCase();

/** What the node on a host is called; empty where nobody says. */
export const nodeNameOf = ({ metadata }: Pick<Host, 'metadata'>): string => metadata.labels?.['quartermaster.dev/node'] || metadata.name;
