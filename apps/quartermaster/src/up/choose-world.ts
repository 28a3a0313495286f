import type { DataDirectory } from './data-directory.ts';
import type { UpOptions } from './up-options.ts';

export async function chooseWorld(options: Pick<UpOptions, 'scenario'>, directory: DataDirectory): Promise<string> {
  const scenario = options.scenario ?? directory.world?.scenario ?? 'small';
  return scenario;
}
