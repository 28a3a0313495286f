/** What the processes of this benchmark tell each other. */
import type { Load, LoadOptions } from './load.ts';

/** `plain` is the plain design, `bare` a prepared select of a row by its id. All use one pool of connections. */
export type Design = 'ours' | 'plain' | 'bare';
export type ServedDesign = 'ours' | 'plain';
export const works = [
  'get',
  'get-secret',
  'update-masked',
  'update-rack',
  'update-hot',
  'create',
  'list-filtered-1',
  'list-filtered-10',
  'list-filtered-50',
  'list-filtered-50-busy',
] as const;
export type Work = (typeof works)[number];

export interface ServiceReady {
  readonly addresses: Readonly<Record<ServedDesign, string>>;
  readonly token: string;
}

/** To the service: be loaded inside of its process, at the handlers, and answer with a `Load`. */
export interface HandlerRequest extends LoadOptions {
  readonly design: Design;
  readonly work: Work;
}

export type HandlerAnswer = Load;
