export { hostSourcesService } from './host-sources-service.ts';
