import { hostState } from '@quartermaster/api/states';
import type { Host } from './host.ts';

/** Why nobody can claim a host, and what to do about it, as the service would say; undefined for one that is free. */
export function claimRefusal(host: Host): string | undefined {
  const { metadata, spec, status } = host;
  if (metadata.deletion_timestamp !== undefined) return 'it is being deleted.';
  if ((status?.cluster ?? '') !== '') return 'a cluster has it. Release it first.';
  if ((status?.host_pool ?? '') !== '') return `it is in the host pool ${status?.host_pool}. Remove it from the pool first.`;
  if ((spec?.class ?? '') === '') return 'it has no class. Edit it and choose one.';
  const { word } = hostState(host);
  if (word === 'Failed') return 'it has failed. Its conditions say why.';
  if (status?.state === 'HOST_STATE_PROGRESSING') return 'it is in progress: something works on it.';
  if (word === 'Disputed') return 'it is disputed. Its condition says by whom.';
  if ((spec?.bmc?.url ?? '') === '') return 'it has no address of a management controller. Edit it and set one.';
  return (spec?.boot_mac ?? '') === '' ? 'it has no MAC address to boot from. Edit it and set one.' : undefined;
}
