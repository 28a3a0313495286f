import { formatQuantity, quantityFromMillis, quantityFromWhole } from '@quartermaster/kernel';

/** As the API server prints it: what is compared with what it stores must not differ by its spelling. */
export const cpuText = (millis: number): string => formatQuantity(quantityFromMillis(millis));
export const bytesText = (bytes: number): string => formatQuantity(quantityFromWhole(bytes, 'BinarySI'));
export const countText = (count: number): string => formatQuantity(quantityFromWhole(count));
