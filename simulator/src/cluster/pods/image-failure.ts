/** Names no registry. Programs that fail on purpose are its images. */
const failingRegistry = 'simulator.quartermaster.dev/';

export interface ImageFailure {
  readonly log: string;
  readonly exitCode: number;
  readonly reason?: string | undefined;
}

/** What an image of the failing registry does; undefined for every other image. */
export function failureOf(image: string): ImageFailure | undefined {
  if (!image.startsWith(failingRegistry)) return undefined;
  const [name = '', tag = ''] = image.slice(failingRegistry.length).split(':');
  switch (name) {
    case 'crash': {
      const exitCode = /^\d+$/.test(tag) && Number(tag) <= 255 ? Number(tag) : 1;
      return { log: `fatal: this image ends with exit code ${exitCode}`, exitCode };
    }
    case 'full-disk':
      return { log: 'write /data/records: No space left on device', exitCode: 1 };
    case 'oom':
      return { log: 'allocating more memory than there is', exitCode: 137, reason: 'OOMKilled' };
    default:
      return undefined;
  }
}

/** Whether containers of the image end by themselves. */
export const failsByItself = (image: string): boolean => image.endsWith(':crash') || failureOf(image) !== undefined;
