/** What `bin/quartermaster.mjs` runs, on a Node that is new enough. */
import { commandsOf } from './command-table.ts';

// Who runs a command can do nothing about what the libraries behind it should call differently.
process.noDeprecation = true;
// `quartermaster get nodes | head` has seen enough, and that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
const args = process.argv.slice(2);
const { runProgram } = await loadProgram();
process.exitCode = await runProgram(args);

async function loadProgram(): Promise<typeof import('./program.ts')> {
  const rows = commandsOf(args);
  if (rows.length > 0 && rows.every(({ isClient }) => isClient)) {
    const { freshBundle } = await import('./client-bundle.ts');
    const bundle = freshBundle();
    const loaded = bundle === undefined ? undefined : await loadBundle(bundle);
    if (loaded !== undefined) return loaded;
  }
  return await import('./program.ts');
}

/** Undefined when it was replaced since it was found: then the sources are as good. */
async function loadBundle(path: string): Promise<typeof import('./program.ts') | undefined> {
  try {
    return (await import(path)) as typeof import('./program.ts');
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw thrown;
  }
}
