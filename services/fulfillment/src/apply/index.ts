export type { ApplyOptions } from './apply-options.ts';
export { hostSourcesService } from './host-sources-service.ts';
