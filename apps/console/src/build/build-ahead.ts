/** A program: builds the page of the console, unless that was done from the same sources. */
import { silentLog } from '@quartermaster/kernel';
import { ensureConsoleBuilt } from './ensure-console-built.ts';

await ensureConsoleBuilt({ log: silentLog });
