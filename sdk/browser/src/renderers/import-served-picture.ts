/** Loads the renderer of pictures from the service. */
export const importPicture = (url: string): Promise<typeof import('./picture/picture.ts')> => import(url);
