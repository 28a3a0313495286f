import { FakeClock } from '@quartermaster/kernel';
import type { DiscoverOptions } from '../../src/discovery/read/discover-hardware.ts';

/** As an agent of version 1.2.3 looks at a machine, at the beginning of 2026. */
export function discoveryOptions(): DiscoverOptions {
  return { agentVersion: '1.2.3', clock: new FakeClock(), architecture: 'amd64' };
}
