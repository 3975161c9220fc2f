package passes

// The passes that published systems have too, in their own ways: package published does those with the same parameters.
type (
	FoldPass       = foldPass
	ArchivePass    = archivePass
	ToolDigestPass = toolDigestPass
	DropPass       = dropPass
	FitPass        = fitPass
)
