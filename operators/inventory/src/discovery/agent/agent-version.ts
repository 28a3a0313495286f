import manifest from '../../../package.json' with { type: 'json' };

/** Of the code that reads the machine. */
export const agentVersion = manifest.version;
