import manifest from '../package.json' with { type: 'json' };

/** Of this executable. */
export const version = manifest.version;
