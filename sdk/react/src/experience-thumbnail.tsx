import { defineElements } from '@session-launch/browser';
import { createElement, type ReactElement, useEffect } from 'react';

/** An entry of a catalog, as far as a picture needs it. */
export interface ThumbnailEntry {
  title: string;
  galleryThumb: { avatarImage: string; backgroundImage: string } | null;
}

/** Both layers of a gallery card; initials where there are none. */
export function ExperienceThumbnail(props: {
  entry: ThumbnailEntry;
  baseUrl?: string;
  sizes?: string;
}): ReactElement {
  useEffect(defineElements, []);
  const { entry, baseUrl, sizes } = props;
  return createElement('experience-thumbnail', {
    title: entry.title,
    'avatar-image': entry.galleryThumb?.avatarImage,
    'background-image': entry.galleryThumb?.backgroundImage,
    'base-url': baseUrl,
    sizes,
  });
}
