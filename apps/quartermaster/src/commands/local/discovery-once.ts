import { parseArgs } from 'node:util';
import { agentVersion, HostMachine, printOnce } from '@quartermaster/inventory/discovery';
import { StatusError } from '@quartermaster/kernel';
import type { Output } from '../../text/output.ts';

/** `discovery --once`: reads this machine and prints what it is made of. */
export async function runDiscoveryOnce(args: readonly string[], { out }: Output): Promise<number> {
  const { json, root, paths } = optionsOf(args);
  const reader = new HostMachine({ root });
  try {
    return await printOnce({ reader, agentVersion, json, filesystemPaths: paths, out });
  } finally {
    reader.close();
  }
}

function optionsOf(args: readonly string[]): { readonly json: boolean; readonly root: string; readonly paths: readonly string[] } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        once: { type: 'boolean' },
        json: { type: 'boolean', default: false },
        'host-root': { type: 'string', default: '/' },
        path: { type: 'string', multiple: true, default: [] },
      },
    });
    return { json: values.json, root: values['host-root'], paths: values.path };
  } catch (cause) {
    throw new StatusError('invalid_argument', 'discovery --once takes --json, --host-root FOLDER and --path FOLDER, and nothing else', {
      cause,
    });
  }
}
