import { join } from 'node:path';
import { packageFolder } from './sources-hash.ts';

/** Builds the page with Vite into a folder of its own. Takes seconds; loads Vite only when called. */
export async function buildPage(outDir: string): Promise<void> {
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: join(packageFolder, 'src/page'),
    logLevel: 'silent',
    mode: 'production',
    oxc: { jsx: { runtime: 'automatic' } },
    build: {
      outDir,
      emptyOutDir: true,
      // One style sheet and one script: the page is small and served from this machine.
      cssCodeSplit: false,
      modulePreload: false,
      // A data: URL for a font or an image would need a hole in the content security policy.
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 1_000,
    },
  });
}
