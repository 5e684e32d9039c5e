Scalar.createApiReference('#reference', {
  url: 'openapi.json',
  theme: 'none',
  // Nothing may leave this origin: system fonts, no telemetry, no proxy, no hosted client.
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  // An API key does not belong into a browser, so there is no form that asks for one.
  hideTestRequestButton: true,
  documentDownloadType: 'none',
  defaultOpenAllTags: true,
  orderSchemaPropertiesBy: 'preserve',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
});
