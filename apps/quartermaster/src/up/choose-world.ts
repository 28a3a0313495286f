import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { loadScenario, shippedScenarios } from '@quartermaster/simulator';
import type { DataDirectory } from './data-directory.ts';
import type { UpOptions } from './up-options.ts';

const defaultScenario = 'small';

/**
 * The scenario to play, by name or absolute path: the one that was asked for, or the one that the directory keeps. Throws what is
 * wrong with its file, and when a simulated API server would find the objects of another world in the directory.
 */
export async function chooseWorld({ scenario, kubernetes }: UpOptions, directory: DataDirectory): Promise<string> {
  const asked = scenario ?? directory.world?.scenario ?? defaultScenario;
  const chosen = (await shippedScenarios()).includes(asked) ? asked : resolve(asked);
  // The datacenter is kept elsewhere and filled so that what is there stays: another one is no other world.
  const { datacenter: _datacenter, ...content } = await loadScenario(chosen);
  const fingerprint = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  if (kubernetes === 'simulated') directory.keepWorld({ scenario: chosen, fingerprint });
  return chosen;
}
