import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StatusError } from '@quartermaster/kernel';
import { parseScenario } from './parse-scenario.ts';
import type { Scenario } from './scenario.ts';

const shippedFolder = join(import.meta.dirname, '..', '..', 'scenarios');

/** Names of the scenarios that come with the simulator. */
export async function shippedScenarios(): Promise<readonly string[]> {
  const files = await readdir(shippedFolder);
  return files.flatMap((file) => (file.endsWith('.yaml') ? [file.slice(0, -'.yaml'.length)] : [])).sort();
}

/** A shipped scenario by its name, or any by the path of its file. Throws `not_found`, or what is wrong with the file. */
export async function loadScenario(nameOrPath: string): Promise<Scenario> {
  const shipped = await shippedScenarios();
  const isShipped = shipped.includes(nameOrPath);
  const path = isShipped ? join(shippedFolder, `${nameOrPath}.yaml`) : nameOrPath;
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    const way = `use one of ${shipped.join(', ')}, or the path of a file`;
    throw new StatusError('not_found', `scenario "${nameOrPath}" cannot be read: ${way}`, { cause });
  }
  return parseScenario(text, isShipped ? `${nameOrPath}.yaml` : path);
}
