package callbacks

// Override returns the callbacks of one server among several: those that are
// set in own, and for the other fields those of common.
//
// URLElicitation goes with OnElicitation, and Sampling with OnSampling: they
// are own's if the function is, and common's otherwise. What is declared to
// the server follows from what is set in the result, so that own can give a
// server more than the others have; to give it less, leave the field out of
// common.
func Override(common, own Callbacks) Callbacks {
	c := common
	replace(&c.OnProgress, own.OnProgress)
	replace(&c.OnLoggingMessage, own.OnLoggingMessage)
	replace(&c.OnElicitationComplete, own.OnElicitationComplete)
	replace(&c.OnToolsListChanged, own.OnToolsListChanged)
	replace(&c.OnPromptsListChanged, own.OnPromptsListChanged)
	replace(&c.OnResourcesListChanged, own.OnResourcesListChanged)
	replace(&c.OnToolsChanged, own.OnToolsChanged)
	replace(&c.OnPromptsChanged, own.OnPromptsChanged)
	replace(&c.OnResourcesChanged, own.OnResourcesChanged)
	replace(&c.OnResourceUpdated, own.OnResourceUpdated)
	replace(&c.OnConnectionState, own.OnConnectionState)
	replace(&c.OnMessage, own.OnMessage)
	if own.OnElicitation != nil {
		c.OnElicitation, c.URLElicitation = own.OnElicitation, own.URLElicitation
	}
	if own.OnSampling != nil {
		c.OnSampling, c.Sampling = own.OnSampling, own.Sampling
	}
	if own.OnListRoots != nil {
		c.OnListRoots = own.OnListRoots
	}
	return c
}

func replace[E any](field *event[E], own event[E]) {
	if own != nil {
		*field = own
	}
}
