import { defineElements } from '@session-launch/browser';
import { createElement, type ReactElement, useEffect } from 'react';

/** The fields of a catalog entry that the thumbnail uses. */
export interface ThumbnailEntry {
  title: string;
  galleryThumb: { avatarImage: string; backgroundImage: string } | null;
}

/** Avatar and background of a gallery card; the initials of the title if the entry has no images. */
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
