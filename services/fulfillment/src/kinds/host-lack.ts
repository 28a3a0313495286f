import type { Host } from '@quartermaster/api/private';

/** What a host lacks to be provisioned; empty: nothing. */
export function lackOf({ spec }: Host): 'NO_BMC' | 'NO_BOOT_MAC' | '' {
  if ((spec?.bmc?.url ?? '') === '') return 'NO_BMC';
  return spec?.bootMac === '' ? 'NO_BOOT_MAC' : '';
}
